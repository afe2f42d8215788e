"""What runs in a student's server when a whole class shares one machine."""
