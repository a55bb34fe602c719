"""Corpora of any size: fetching them, reading them, training on them, and encoding them into artifacts.

    text            corpora.py               named corpora: their files, and whether these are in the data folder
      |             download.py              fetches files (./datasets.sh)
      |  documents.py                       reads .txt, .jsonl and .parquet files, or a caller's documents, as UTF-8
    documents
      |  batches.py                         groups them, and cuts a long text where that changes no token
    batches
      |  workers.py                         distributes them to threads
      |  encoding.py                        encodes them, and writes their IDs in order
    files           ids.uint32, manifest.json, tokenizer.json: an artifact (g2c.formats.artifact)
         join.py                            joins artifacts, such as those of several machines
         verify.py                          decodes the IDs, encodes them again, and compares
         batch_loader.py                    makes batches for training a language model

training.py counts the words of batches in the same workers, and learns merges from the counts. named_tokenizers.py
trains a tokenizer on a corpus and encodes the corpus with it; corpora.py lists the course's own tokenizers.
published_tokenizers.py loads those of GPT-2, GPT-4, BERT and others.
"""
