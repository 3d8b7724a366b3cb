"""Types of the public names; also the list from which they are loaded on first use."""

from .compile.artifact import (
    Artifact as Artifact,
    Executable as Executable,
    InProcess as InProcess,
    LiveWeights as LiveWeights,
    Refusal as Refusal,
    WeightSource as WeightSource,
)
from .compile.backend import Backend as Backend, Proposal as Proposal
from .compile.c_kernels import (
    CKernel as CKernel,
    CKernelLibrary as CKernelLibrary,
    include_dir as include_dir,
)
from .compile.cache import ArtifactCache as ArtifactCache
from .compile.capabilities import (
    Capabilities as Capabilities,
    DynamicShapes as DynamicShapes,
    Target as Target,
)
from .compile.eager_backend import EagerBackend as EagerBackend
from .compile.kernel_table import (
    Kernel as Kernel,
    KernelBackend as KernelBackend,
    KernelTable as KernelTable,
)
from .compile.loading import LoadedRegion as LoadedRegion, load_region as load_region
from .compile.options import Option as Option, Options as Options
from .compile.reason import (
    Claim as Claim,
    Reason as Reason,
    Rejection as Rejection,
    no as no,
    prefer_parts as prefer_parts,
    yes as yes,
)
from .compile.region import Region as Region
from .compile.registry import (
    InstalledBackend as InstalledBackend,
    backends as backends,
    load_backend as load_backend,
)
from .compile.reports import (
    GraphReport as GraphReport,
    RegionReport as RegionReport,
    Reports as Reports,
    Specializations as Specializations,
)
from .compile.store import cache_directory as cache_directory
from .contract.graph import (
    Alias as Alias,
    Graph as Graph,
    Node as Node,
    Role as Role,
    Symbol as Symbol,
    TensorSpec as TensorSpec,
    Value as Value,
)
from .contract.opset import OpSet as OpSet, opset as opset
from .contract.spec import OpSpec as OpSpec, Tier as Tier
from .contract.symbols import SymExpr as SymExpr
from .deploy.export import export as export
from .deploy.load import LoadedProgram as LoadedProgram, load as load
from .deploy.manifest import Manifest as Manifest
from .deploy.updating import update_weights as update_weights
from .dynamo import (
    DynamoBackend as DynamoBackend,
    compose as compose,
    dynamo_backend as dynamo_backend,
    reports as reports,
)
from .errors import TorchportError as TorchportError
from .tools.explain import Explanation as Explanation, Survey as Survey, explain as explain
from .tools.lower import Lowered as Lowered, lower as lower
from .tools.minify.checking import fault_of as fault_of
from .tools.minify.minifier import Minified as Minified, minify as minify
from .tools.minify.subject import Fault as Fault
from .version import __version__ as __version__
