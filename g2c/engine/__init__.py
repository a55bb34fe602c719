"""Fast, exact training and encoding: the same merges and the same IDs as the plain algorithm, on any amount of text.

    text                "the cat, the bat"
      |  splitting.py        the gpt2 and gpt4 patterns in numpy: offsets of pieces
    pieces              "the"  " cat"  ","  " the"  " bat"
      |  word_numbers.py     each distinct piece is a word and has a number (word_table.py: short words in a hash table)
    words                 0      1      2     3      4
      |                      training: word_counter.py counts them, exact.py learns the merges
      |  merging.py          encoding: the merges, applied to all new words at once
    IDs                 260  311  44  264  98 300
         vectorized.py       puts the IDs of the words together: the IDs of the text

fast.py does the same with the Rust library `tokenizers`: for other patterns, for short texts and for no pattern at all.
adjacency.py knows where a text without a pattern can be cut.
"""
