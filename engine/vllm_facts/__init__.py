"""A program of its own that asks the installed vLLM what it can do: `python -m engine.vllm_facts`.

It imports vLLM (many seconds, a gigabyte), so nobody imports it; `engine.checkpoints.installed_vllm` starts it, in the
background, once for each installed release, and keeps its answer.
"""
