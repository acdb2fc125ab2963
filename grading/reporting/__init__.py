"""What people are told of a class.

``class_report`` tells of an assignment, ``dashboard`` of the course, with the misconceptions of
``themes``; ``feedback`` is the page that a student gets back, ``regrade`` lists requests to look
again, ``similarity`` answers that are alike. All read what :mod:`grading.course` has recorded.
"""
