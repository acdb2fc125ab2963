"""Sections of chapter 11 that a student is sent back to."""

INDUCTION = "“A score for induction” in chapter 11"
LENS = "“The logit lens” in chapter 11"
PATCHING = "“Activation patching” in chapter 11"
OTHER_DIRECTION = "“The other direction” in chapter 11"
PROBES = "“Probes” in chapter 11"
CONTROL_LABELS = "“Labels that mean nothing” in chapter 11"
UNTRAINED = "“A model that has learned nothing” in chapter 11"
ABLATIONS = "“Three ways to switch a head off” in chapter 11"
BEST = "“The best of 72 heads” in chapter 11"
CLAIMS = (
    "“The best of 72 heads” in chapter 11 and “A finding with its control” in chapter 11"
)
