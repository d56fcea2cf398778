"""llama.cpp's server on a free port of this machine, until its standard input ends; prints its URL.

    python serve.py MODEL.gguf CONTEXT LONGEST_ANSWER

It runs in the environment of `requirements.txt`, not in that of the tests.
"""

from __future__ import annotations

import sys

import xllamacpp


def main() -> None:
    model, context, longest = sys.argv[1:4]
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"smollm2"}
    params.n_ctx, params.n_predict, params.n_parallel = int(context), int(longest), 1
    params.sampling.temp = 0.0
    # threads wait by spinning: on a machine that is busy, two are slower than one
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.endpoint_metrics = True
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
