"""The loop kit: contract graphs lowered to loops, fused and scheduled, ready for a printer.

Read in this order: :mod:`ir` (the grammar), :mod:`index`, :mod:`lowering`, :mod:`expand`, :mod:`fusion`,
:mod:`schedule`.
"""
