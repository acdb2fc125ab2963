"""Sections of chapter 1 that a student is sent back to."""

ROOT = "“Step 2: divide by √d_k” in chapter 1"
SOFTMAX = "“Step 3: softmax” in chapter 1"
MASKS = "“Masks: who may look at whom” in chapter 1"
