"""Decompositions of the neural-network operators: functions of a schema's arguments on contract ops only.

Rules kept by every function here: functional; no Python branch on a symbolic size; float16 and bfloat16 are
computed in float32 and rounded once at the end; result shapes and dtypes are those of the operator itself;
each value is read by as few reductions as the formula allows, because these are the graphs that
code-generating backends fuse.
"""
