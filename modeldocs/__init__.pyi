"""Types of the Python interface, whose functions are imported when they are first used."""

from modeldocs import testing as testing
from modeldocs.errors import ModeldocsError as ModeldocsError
from modeldocs.interface.comparison import diff as diff
from modeldocs.interface.network import load as load
from modeldocs.interface.program import generate as generate
from modeldocs.interface.subject import live as live
from modeldocs.interface.verification import verify as verify

__version__: str
