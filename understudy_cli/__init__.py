"""The command line of Understudy, and the nest of its other packages."""

import sys as _sys

# The wheel nests our other packages in _lib, since their plain names belong to
# other distributions; a checkout has them beside this package.
_here = __file__.rpartition("/")[0]
_nest = _here + "/_lib"
try:
    __import__("posix").stat(_nest)
except OSError:
    _nest = _here.rpartition("/")[0]
if _sys.path[:1] != [_nest]:
    _sys.path.insert(0, _nest)
