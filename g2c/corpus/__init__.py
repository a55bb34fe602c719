"""Corpora of any size: fetching, reading, training on them, and encoding them into artifacts.

    text            corpora.py               named corpora: what can be fetched, and what is in the data folder
      |             download.py              fetches files (./datasets.sh)
      |  documents.py                       reads .txt, .jsonl and .parquet files, one document at a time; the `corpus`
    documents                               argument of a caller, as UTF-8
      |  shards.py                          cuts where that changes no token: parts to be processed in any order
    shards
      |  workers.py                         distributes them to threads
      |  encoding.py                        encodes them, and joins their IDs in order
      |  unfinished.py                      keeps what is done on the disk: resumable at any time
    files           ids.uint32, manifest.json, tokenizer.json: an artifact (g2c.formats.artifact)
         join.py                            puts the artifacts of several machines together
         verify.py                          decodes the IDs, encodes them again, and compares
         batch_loader.py                    batches for training a language model

training.py counts the words of shards, in the same workers, and learns merges from the counts. named_tokenizers.py
trains a tokenizer on any corpus and encodes the corpus with it; corpora.py lists the tokenizers that the course names.
published_tokenizers.py loads the tokenizers of GPT-2, GPT-4 and BERT.
"""
