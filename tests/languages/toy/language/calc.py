"""Calc: a worker of a few lines reads the file and calculates."""

from statsclaw.languages import Adapter, Language, Places, Worker

WORKER = """
import math, sys
sys.path.insert(0, sys.argv[1])
import statsclaw_wire as wire
import numpy
known = {"sum": numpy.sum, "len": len, "sqrt": math.sqrt, "__builtins__": {}}
functions = {}
for line in open(sys.argv[2] + "/package.calc"):
    head, _, body = line.partition("=")
    name, _, rest = head.partition("(")
    functions[name.strip()] = ([part.strip() for part in rest.rstrip(") ").split(",")], body.strip())
questions, answers = open(sys.argv[3], "rb"), open(sys.argv[4], "wb")
while (request := wire.receive(questions)) is not None and request["do"] != "end":
    if request["do"] == "forget":
        continue
    answer = {"id": request["id"], "warnings": [], "printed": "", "changed": []}
    try:
        names, body = functions[request["function"]]
        given = dict(zip(names, map(wire.restored, request["arguments"]))) | request["named"]
        if len(next(iter(given.values()))) == 0:
            raise ValueError("no numbers")
        answer["value"] = float(eval(body, dict(known), given))
    except Exception as error:
        answer["error"] = {"classes": [type(error).__name__], "message": str(error)}
    wire.send(answers, answer)
"""


class Calc(Language):
    id = "calc"
    sees = ("tree", "adapter")
    is_python = True

    def adapter(self, interface, tree):
        return Adapter({"worker.py": WORKER})

    def worker(self, at: Places) -> Worker:
        return Worker((at.python, "-I", "-B", f"{at.adapter}/worker.py", at.scripts, at.tree))


LANGUAGE = Calc()
