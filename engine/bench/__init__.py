"""Measuring an engine: loads, figures, runs, comparison. No Qt, no vLLM, no torch.

Values (import freely, also from the window)
    workload      Workload and its parts (arrival, lengths, data set, SLOs); CLASSIC is the classic preset
    sample        Sample: one request of a run; Outcome
    result        Figures, Spread, Window, RunResult, EngineSetup, Annotation, RunRecord, RunState
    definitions   FIGURES: every figure with key ("ttft.p95"), label, unit, definition, which way is better; `value_of`
    messages      what passes between a load process and its owner

Doing
    load          `python -m engine.bench.load`: the load process; JSON lines on standard output, commands on input
    process       LoadProcess(target): start it, read its messages, pause, resume, stop; leaves nothing behind
    runner        Runner(store): one run from beginning to end, kept in the store: `await run(target, workload, ...)`
    store         RunStore(path): runs and samples in SQLite; blocks on the disk, call it in a thread
    figures       figures_of(samples, ...): the figures from samples; histogram(), heat_map() for drawing
    comparison    compare(a, b): differences with bootstrap confidence intervals
    export        csv, JSON, Markdown and a self-contained HTML report of runs
    regression    baselines in files, and what is beyond a tolerance
    cli           `kvdeck bench` and `python -m engine.bench`

How to run one load from a program:

    process = LoadProcess(Target(url, token))
    await process.start(workload)                      # store=path, run_id=id to keep the samples
    async for message in process.messages():           # Progress, Tick, Finished, Began, then Done or Failed
        ...
    await process.stop() / pause() / resume()          # any time; `messages` ends with Done (stopped=True)
    await process.close()                              # always; kills what would not end

or, with everything kept:

    record = await Runner(store).run(target, workload, setup=..., title=..., on_message=...)
"""
