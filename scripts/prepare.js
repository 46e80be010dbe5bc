// Filled in by the build of the web page and the database template; a checkout without them still works, the first start makes them.
