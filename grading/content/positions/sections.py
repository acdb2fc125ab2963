"""The sections of the chapter that a student of assignment positions is sent back to."""

SINUSOIDS = "“Sinusoidal positions: a clock with many hands” in chapter 5"
FACTOR = "“The factor √d_model” in chapter 5"
ROTARY = "“Rotary positions: turn instead of add” in chapter 5"
CONVENTIONS = "“From one convention to the other” in chapter 5"
ALIBI = "“ALiBi: a penalty on distance” in chapter 5"
PADDED = "“Which position has a padded token?” in chapter 5"
MISTAKES = "“Common mistakes” in chapter 5"
