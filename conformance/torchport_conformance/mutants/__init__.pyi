from .backend import MutantBackend as MutantBackend, OneOperator as OneOperator
from .faults import all_faults as all_faults
from .kill import fate_of as fate_of, run as run
from .mutant import Mutant as Mutant, frozen as frozen, mutants as mutants
from .table import Fate as Fate, KillTable as KillTable
