from .cases.case import Case as Case
from .report.model import CaseResult as CaseResult, Report as Report, Status as Status, Tally as Tally
from .suite import ConformanceFailure as ConformanceFailure, plan as plan, reproduce as reproduce, run as run
