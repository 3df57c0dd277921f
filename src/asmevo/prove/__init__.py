"""Window equivalence: is one run of instructions the same as another, for every state?

`window.Window` says what is compared, `verdict.Verdict` what came out, `prover.prove_window`
decides. The meaning of each instruction is the one of `isa/semantics/`: what is here is one more
instance of its values and states.
"""
