"""six.moves"""
xrange, range, zip, map, filter, input = range, range, zip, map, filter, input
