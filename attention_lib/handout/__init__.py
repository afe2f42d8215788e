"""A whole lesson as a page to hand out: one HTML file that needs no network, and its PDF. No lesson imports this."""
