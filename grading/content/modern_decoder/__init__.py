"""Assignment 10, the modern decoder: the exercises that are graded by running them."""

from grading.content.modern_decoder import (
    grouped_attention,
    llama_to_packed,
    ring_buffer,
    route,
    streamed_attention,
)

ASSIGNMENT = "10_modern_decoder"
EXERCISES = [
    grouped_attention.EXERCISE,
    ring_buffer.EXERCISE,
    route.EXERCISE,
    streamed_attention.EXERCISE,
    llama_to_packed.EXERCISE,
]
