// Shows sections of the handouts, which the page has as HTML.

import { el } from "./elements.js";

const pages = new Map(); // Name, such as "docs/04-pitfalls.md" -> its document.

async function pageOf(name) {
  if (!pages.has(name)) {
    const response = await fetch(name.replace(/\.md$/, ".html"));
    pages.set(name, new DOMParser().parseFromString(await response.text(), "text/html"));
  }
  return pages.get(name);
}

// Returns text and target of the links in an exercise's row of the handout: what to read before it.
export async function linksFor({ name }, handout) {
  const page = await pageOf(handout);
  const cell = [...page.querySelectorAll("td:first-child")].find((found) => found.textContent.includes(`${name}(`));
  return [...(cell?.parentElement.querySelectorAll("a") ?? [])].map((link) => [link.textContent, handout + link.getAttribute("href")]);
}

const slug = (title) => title.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-");
const levelOf = (element) => (/^H[1-6]$/.test(element.tagName) ? Number(element.tagName[1]) : Infinity);

// Returns an article with a section of a page, such as "docs/04-pitfalls.md#pitfall-barriers". `follow` gets the target of a
// link to another section that is chosen in it.
export async function sectionOf(target, follow) {
  const [name, anchor] = target.split("#");
  const headings = [...(await pageOf(name)).querySelectorAll("h1, h2, h3")];
  const isMeant = (heading) => slug(heading.textContent) === anchor || heading.previousElementSibling?.querySelector(`[id="${anchor}"]`);
  const first = (anchor && headings.find(isMeant)) || headings[0];
  const content = [first];
  for (let next = first.nextElementSibling; next && levelOf(next) > levelOf(first); next = next.nextElementSibling) content.push(next);
  const article = el("article", {}, content.map((part) => document.importNode(part, true)));
  article.addEventListener("click", (event) => {
    const href = event.target.closest("a")?.getAttribute("href") ?? "";
    const [path, section = ""] = href.split("#");
    if (!href || /^\w+:/.test(href)) return;
    event.preventDefault();
    follow(`${path ? `docs/${path}` : name}#${section}`);
  });
  return article;
}
