"""What a run found, and its JSON, JUnit and HTML forms."""
