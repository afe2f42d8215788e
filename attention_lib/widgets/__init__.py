"""What a learner touches and sees; one small file a widget."""
