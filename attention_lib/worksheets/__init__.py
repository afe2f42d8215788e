"""Worksheets on paper: ``python3 lesson.py worksheets``. One file for each part:

options (what was typed), class_list (who gets a sheet), problems (the numbers), letters and paper (fonts and PDF),
sheet and key (what stands where), __main__ (all together).
"""
