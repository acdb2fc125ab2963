"""The sections of the chapter that a student of assignment simple_attention is sent back to."""

ROOT = "“Step 2: divide by √d_k” in chapter 1"
SOFTMAX = "“Step 3: softmax” in chapter 1"
MASKS = "“Masks: who may look at whom” in chapter 1"
