"""Which tests provoke which complaint of vLLM's users (the numbers are those of the project's list).

| number | complaint |
|---|---|
| 1 | "No available memory for the cache blocks", with contradictory advice |
| 2 | max_model_len is larger than the KV cache holds; nobody sees where the number comes from |
| 3 | free memory is below gpu_memory_utilization |
| 4 | "a 7B model uses 70 GB": what is set aside is taken for need |
| 5 | out of memory in the sampler's warm-up and in graph capture |
| 6 | minutes of start-up with nothing shown |
| 7 | VRAM not given back after a switch; engine processes outlive their parent |
| 8 | a named quantization takes the slow kernel, or none |
| 9 | no kernel for the scheme on this device |
| 10 | a missing chat template is seen at the first request |
| 11 | a port in use is found after the load |
| 15 | renamed metrics leave a blank |
| 16 | a gated download fails with 401; downloads start again |
| 17 | WSL2: no pinned memory, no VRAM per process |
| 18 | the wrong GPU is taken |
| 19 | sleep gives gibberish, or is broken |
| 22 | the estimate ignores the outgoing model; one-word errors; a locked window; "loaded" that is not |
"""

_HERE = "tests/engine/complaints/test_complaints.py"
_WARM = "tests/engine/host/test_warm_switch.py"
_UNPACK = "tests/engine/quantize/test_unpack.py"
_FAULTS = "tests/engine/host/test_faults.py"
_LIFE = "tests/engine/host/test_life_and_death.py"

COVERED: dict[int, tuple[tuple[str, str], ...]] = {
    1: ((_HERE, "test_complaint_1_no_memory_for_the_cache_blocks"),),
    2: (
        (_HERE, "test_complaint_2_a_length_that_the_cache_does_not_hold"),
        (_LIFE, "test_a_switch_that_fails_says_what_fits_and_one_click_helps"),
    ),
    3: (
        (_HERE, "test_complaint_3_memory_that_is_not_free"),
        ("tests/engine/checkpoints/test_advice.py", "test_too_little_free_memory_says_which_share_would_do"),
    ),
    4: (
        (_HERE, "test_complaint_4_what_is_set_aside_is_not_what_is_needed"),
        ("tests/app/test_fit.py", "test_weights_cache_and_others_are_the_bar"),
        ("tests/app/test_gpu_panel.py", "test_the_split_is_drawn_on_the_scale_of_the_card"),
    ),
    5: (
        (_HERE, "test_complaint_5_out_of_memory_in_the_samplers_warm_up"),
        (_HERE, "test_complaint_5_out_of_memory_by_stage"),
        (_HERE, "test_complaint_5_out_of_main_memory"),
    ),
    6: (
        (_HERE, "test_complaint_6_every_second_of_a_real_load_has_a_stage"),
        ("tests/engine/host/test_progress.py", "test_cuda_026_reaches_every_stage_in_order"),
        ("tests/app/test_shell_window.py", "test_loading_says_the_stage_and_can_be_cancelled"),
    ),
    7: (
        (_LIFE, "test_a_switch_that_fails_says_what_fits_and_one_click_helps"),
        (_LIFE, "test_cancel_leaves_nothing_and_a_killed_parent_takes_everything"),
        ("tests/engine/checkpoints/test_advice.py", "test_an_engine_whose_parent_is_gone_is_found_and_ended"),
        ("tests/tour/test_window_death.py", "test_sigkill_of_the_window_ends_everything"),
    ),
    8: ((_HERE, "test_complaint_8_quantization_is_left_to_vllm"),),
    9: (
        (_HERE, "test_complaint_9_kernels_are_asked_of_vllm"),
        ("tests/engine/checkpoints/test_verdict.py", "test_methods"),
        (
            "tests/engine/quantize/test_unpack.py",
            "test_the_engine_without_four_bit_kernels_computes_what_the_files_say",
        ),
    ),
    10: ((_HERE, "test_complaint_10_a_missing_chat_template_is_said_before_the_load"),),
    11: (("tests/engine/host/test_door.py", "test_a_port_in_use_is_said_at_once"),),
    15: (
        (_HERE, "test_complaint_15_a_figure_that_vllm_calls_otherwise_is_said"),
        ("tests/app/test_shell_window.py", "test_a_figure_that_is_not_told_is_a_dash"),
    ),
    16: (
        ("tests/engine/hub/test_hub.py", "test_a_gated_model_needs_the_right_token"),
        ("tests/engine/hub/test_hub.py", "test_what_has_arrived_is_not_fetched_again"),
        ("tests/engine/hub/test_hub.py", "test_a_cut_connection_costs_only_what_was_in_flight"),
    ),
    17: (
        (_HERE, "test_complaint_17_wsl_is_said"),
        ("tests/engine/gpu/test_nvml_faults.py", "test_a_process_whose_memory_is_hidden_is_none_and_never_zero"),
        ("tests/app/test_gpu_panel.py", "test_unknown_is_a_dash"),
    ),
    18: (
        (_HERE, "test_complaint_18_the_chosen_gpu_is_the_one_that_cuda_takes"),
        ("tests/engine/parameters/test_values.py", "test_contradictions_block_a_load"),
    ),
    19: ((_WARM, "test_an_engine_that_waits_is_back_at_once_with_what_it_knew"),),
    22: (
        ("tests/app/test_fit.py", "test_edits_and_the_outgoing_engine_change_it_at_once"),
        (_FAULTS, "test_an_unknown_cause_is_the_childs_own_exception_not_the_wrapper"),
        (_FAULTS, "test_an_engine_that_starts_and_cannot_generate_is_asked_for_the_cause"),
        ("tests/app/test_hub.py", "test_a_model_is_found_read_about_downloaded_and_deleted"),
    ),
}
