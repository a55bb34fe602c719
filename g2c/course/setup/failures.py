"""Why an installation failed: the cause is found in what pip, uv and venv have printed, and said with what to do."""

import re
import shutil
import tempfile
from pathlib import Path

CAUSES = {
    r"No space left on device|Disk quota exceeded|(?:os error |Errno )(?:28|122)\b": "the disk is full, or your quota "
    "is used up ({room}). Make room: the environment takes up to 2 GB. Where only the folder for temporary files is "
    "too small, set TMPDIR to another",
    r"Read-only file system|Permission denied|Operation not permitted|(?:os error |Errno )(?:13|30)\b": "a folder may "
    "not be written to ({line}). Get the right to write there, or move the clone to a folder of your own",
    r"ProxyError|annot connect to proxy|tunnel error|Tunnel connection failed|(?i:proxy authentication)": "the proxy "
    "that this computer is set to use cannot be reached, or refuses. Correct the variable https_proxy, or unset it",
    r"CERTIFICATE_VERIFY_FAILED|invalid peer certificate|CA certificate bundle|Invalid `SSL_CERT_FILE`": "the "
    "certificate of the package index{host} is not trusted here. Check this computer's clock; where the network has "
    "certificates of its own, set PIP_CERT to the file that holds them",
    r"Name or service not known|nodename nor servname|name resolution|dns error|getaddrinfo|No address assoc": "the "
    "package index{host} was not found: this computer is offline, or the address is wrong",
    r"Connection refused|is unreachable|No route to host|[Tt]imed out|Connection reset|connect error": "the package "
    "index{host} cannot be reached. Check that this computer is online, and what its firewall allows",
    r"\b40[13] (?:Client Error|Forbidden|Unauthorized)": "the package index{host} refuses access. Check its address "
    "and your credentials",
    r"too many 5\d\d error resp|HTTP status server error": "the package index{host} does not work. Try again later",
    r"MemoryError|Cannot allocate memory|signal: 9": "this computer has too little memory. End other programs",
    r"(?i:failed (?:building|to build))|requires a different Python|no wheels with a matching": "a package exists "
    "neither for this version of Python nor for this system ({line}). Install another Python: the course is tested "
    "with 3.11 to 3.14",
    r"from versions: (?:\d|none)|not found in the p|404 Client Error": "the package index{host} lacks a package or its "
    "version ({line}). Check what pip is set up with: pip config list",
}
"""A pattern for what programs print -> the cause, and what to do. The first one that fits counts."""


def cause_of(output: str, folder: Path) -> str:
    """Say why an installation failed, and what to do.

    Args:
        output: what the programs printed.
        folder: where they write. Where its disk is full, they may print nothing.
    """
    room = {str(place): shutil.disk_usage(place).free for place in (folder, tempfile.gettempdir(), Path.home())}
    in_words = ", ".join(f"{place}: {free // 1_000_000:,} MB free" for place, free in room.items())
    output += "\nNo space left on device" if min(room.values()) < 10_000_000 else ""
    for pattern, cause in CAUSES.items():
        if found := re.search(pattern, output):
            line = output[output.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0].strip()[:200]
            # The address may be some lines above.
            hosts = re.findall(r"(?:https?://|host=')([\w.-]+)", output[: found.end()])
            said = cause.format(room=in_words, line=line, host=f" {hosts[-1]}" if hosts else "")
            return f"{said}. Then run the same command again."
    lines = [f"    {line.strip()[:200]}" for line in output.splitlines() if line.strip()]
    quoted = "\n".join(["the cause is not known. What was said at last:", *lines[-4:]])
    return (
        f"{quoted}\nCheck that this computer is online and that the disk is not full, then run the same command again."
    )
