// filters
