"""Wrong solutions of UnigramTokenizer.segmentation_loss."""

from coach.diagnosis.bank import mistake


@mistake(
    "a token that occurs twice counts once",
    why="Each occurrence is a factor of the product.",
    pitfall="loss",
    change={"for token in tokens:": "for token in dict.fromkeys(tokens):"},
)
def loss_each_token_once():
    """I go through the different tokens."""


@mistake(
    "a token outside the vocabulary is treated as unknown",
    why="Only self.unk_token stands for an unknown character; any other token is an error.",
    pitfall="unknown",
)
def loss_everything_unknown(self, tokens):
    """A token that is not in the table is unknown."""
    table = self.scores | {self.unk_token: self.unk_score}
    return 0.0 - sum(table.get(token, self.unk_score) for token in tokens)


@mistake(
    "the loss is divided by the number of tokens",
    why="The loss is the sum: more tokens may cost more.",
    pitfall="loss",
    change={"return loss": "tokens = list(tokens)\nreturn loss / len(tokens) if tokens else 0.0"},
)
def loss_is_a_mean():
    """A long segmentation must not be worse than a short one."""


@mistake(
    "a KeyError for a token that is not in the vocabulary",
    why="Raise a ValueError that names the token.",
    pitfall="unknown",
    change={"if token != self.unk_token and token not in self.scores:": "if False:"},
)
def loss_key_error():
    """The table has every token."""


@mistake(
    "scores are multiplied",
    why="The scores are logarithms: add them.",
    pitfall="loss",
    change={"loss = 0.0": "loss = 1.0", "loss -=": "loss *=", "return loss": "return -loss"},
)
def loss_multiplies():
    """The probability of a text is the product."""


@mistake(
    "the logarithm is taken again",
    why="The scores are logarithms already.",
    pitfall="loss",
    change=[
        {"return loss": "return -math.log(loss) if loss else 0.0"},
        {"loss = 0.0": "loss = 1.0", "loss -=": "loss *=", "return loss": "return -math.log(abs(loss))"},
    ],
)
def loss_of_probabilities():
    """The loss is the negative logarithm of the score."""


@mistake(
    "the probability of a long text becomes 0",
    why="Stay in logarithms: add the scores, and change the sign of the sum.",
    pitfall="logarithms",
    change={"return loss": "return 0.0 - math.log(math.exp(-loss))"},
)
def loss_of_the_product():
    """I multiply the probabilities and take the logarithm of the product."""


@mistake(
    "the unknown token gets the score from the table",
    why="The table's score of the unknown token is not used: an unknown character costs unk_score.",
    pitfall="unknown",
    change={"unk_score if token == self.unk_token else self.": ""},
)
def loss_unknown_from_table():
    """Every token has its score in the table."""


@mistake(
    "the name of the unknown token is hard-coded",
    why="Its name is in self.unk_token.",
    pitfall="unknown",
    change={"token != self.unk_token": 'token != "<unk>"', "token == self.unk_token": 'token == "<unk>"'},
)
def loss_unknown_written_out():
    """The unknown token is <unk>."""


@mistake(
    "the tokens are read twice",
    why="They may come from an iterator, and then nothing is left the second time: check and add in one loop.",
    pitfall="loss",
    change={
        "loss = 0.0": "loss = 0.0\nif not all(token in self.scores for token in tokens):\n    raise ValueError(list(tokens))"
    },
)
def loss_reads_twice():
    """First I check every token, then I add the scores."""


@mistake(
    "the sign of the sum is not changed",
    why="Scores are negative; the loss is the negative of their sum.",
    pitfall="loss",
    change={"-= self.unk_score": "+= self.unk_score"},
)
def loss_without_sign():
    """The loss is the sum of the scores."""
