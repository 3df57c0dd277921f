"""What watches a run: shadow memory, races, loads that have not arrived."""
