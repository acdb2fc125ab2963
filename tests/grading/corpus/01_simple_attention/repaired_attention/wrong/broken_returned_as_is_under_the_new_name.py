# broken returned as is under the new name
# points: 0

repaired_attention = broken_attention
