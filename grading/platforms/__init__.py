"""Learning platforms: in, and back.

``archives`` unpacks what Canvas and Moodle hand over, ``exchange`` takes what comes through
nbgrader's own. Back go ``tables`` and archives of feedback, as files, and ``scores``, by LTI 1.3,
for which ``lti`` knows the platform and who came from it.
"""
