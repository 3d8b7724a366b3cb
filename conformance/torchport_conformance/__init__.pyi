from .cases.case import Case as Case
from .layers import LAYERS as LAYERS
from .report.model import CaseResult as CaseResult, Report as Report, Status as Status, Tally as Tally
from .subject import Subject as Subject
from .suite import ConformanceFailure as ConformanceFailure, plan as plan, reproduce as reproduce, run as run
