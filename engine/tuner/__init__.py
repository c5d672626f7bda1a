"""Looking for a better setting, and comparing: sweeps, the tuner, A/B, formats against each other. No Qt, vLLM, torch.

Values (import freely, also from the window)
    spec        Axis, SweepSpec, TunerSpec, ABSpec, ExperimentSpec: what is to be done; `check_spec` says what cannot be
    outcome     Trial, SearchResult (of a sweep or the tuner), ABResult, ExperimentResult: what came of it
    messages    what passes between the lab process and its owner; `Job` and its state
    presets     axes worth trying on this engine, and the prepared comparison of a model's formats

Doing
    process     LabProcess: one job in a process of its own: start, messages, cancel, close
    jobs        JobStore(folder): jobs on disk, one file each, so that one that was cut short can be resumed
    apply       apply_setting(): a trial's setting into force, live where it can be; what was in force before comes back
    export      results as Markdown, CSV and JSON
    cli         `kvdeck lab` and `python -m engine.tuner`

How to run one job from a program:

    lab = LabProcess(url, token, store=path_of_the_runs_file, jobs=folder)
    await lab.start(TunerSpec(...))                    # or lab.resume(job_id) of one that was cut short
    async for message in lab.messages():               # Update, TrialChanged, RowChanged, then Ended or Broken
        ...
    await lab.cancel()                                 # any time: puts back what was in force, then Ended(cancelled)
    await lab.close()                                  # always; ends the process (after it put the setting back)

One click applies a trial: `await apply_setting(engine, trial.setting, by="window")` hands back what was in force
before, which the same call puts back.
"""
