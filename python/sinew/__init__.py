from ._sinew import *
