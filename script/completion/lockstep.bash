# Read by bash when `lockstep` is completed for the first time.
eval "$(lockstep completion bash)"
