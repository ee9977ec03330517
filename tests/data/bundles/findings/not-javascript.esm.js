<!DOCTYPE html>
<html><body>404 Not Found</body></html>
