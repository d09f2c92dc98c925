"""What a model is asked: questions, what is told before them, pictures, tools, schemas."""
