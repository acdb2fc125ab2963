"""Assignment 9, tokenizers: the exercises that are graded by running them."""
