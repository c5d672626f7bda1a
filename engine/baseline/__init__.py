"""Plain Hugging Face transformers, one request at a time, behind the OpenAI routes: what vLLM is compared with.

A program of its own (`python -m engine.baseline`); nothing imports it. The load generator sends it the same prompts as
it sends the engine, and measures it in the same way.
"""
