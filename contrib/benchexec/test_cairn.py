"""Tests of the tool-info module: command lines, answers, and the real answers of cairn. `scripts/benchexec` runs them."""

import os
import subprocess
import unittest
from pathlib import Path

import yaml
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException
from benchexec.util import ProcessExitCode

import cairn

FOLDER = Path(__file__).parent
TOOL = cairn.Tool()
LIMITS = BaseTool2.ResourceLimits


def task(options=None, property_file="p.prp"):
    return BaseTool2.Task.with_files(["a.c"], property_file=property_file, options=options)


def result_of(*lines, code=0):
    exit_code = ProcessExitCode.create(value=code)
    output = BaseTool2.RunOutput([line + "\n" for line in lines])
    return TOOL.determine_result(BaseTool2.Run(["cairn"], exit_code, output, None))


class ToolInfo(unittest.TestCase):
    def test_command_line(self):
        plain = TOOL.cmdline("cairn", [], task(), LIMITS())
        self.assertEqual(plain, ["cairn", "svcomp", "--property", "p.prp", "--data-model", "ILP32", "a.c"])
        limits = LIMITS(cputime=100, memory=1_000_000)
        full = TOOL.cmdline("cairn", ["--stats"], task({"language": "C", "data_model": "LP64"}), limits)
        self.assertEqual(full[4:], ["--data-model", "LP64", "--time-limit", "97", "--memory-limit", "950000", "--stats", "a.c"])
        own = TOOL.cmdline("cairn", ["--data-model=LP64", "--time-limit=5"], task(), LIMITS(cputime=100))
        self.assertEqual(own[4:], ["--data-model=LP64", "--time-limit=5", "a.c"])

    def test_what_is_not_supported(self):
        for wrong in [task(property_file=None), task({"language": "Java"})]:
            with self.assertRaises(UnsupportedFeatureException):
                TOOL.cmdline("cairn", [], wrong, LIMITS())

    def test_answers(self):
        self.assertEqual(result_of("TRUE"), "true")
        self.assertEqual(result_of("noise", "FALSE(valid-deref)", code=1), "false(valid-deref)")
        self.assertEqual(result_of("UNKNOWN(out of time)", code=2), "unknown(out of time)")
        self.assertEqual(result_of(code=3), "ERROR")
        self.assertEqual(result_of(code=2), "unknown")
        # A line of the program's own output is no answer.
        self.assertEqual(result_of("TRUE or not", code=2), "unknown")

    @unittest.skipUnless(os.environ.get("CAIRN"), "CAIRN names no binary")
    def test_the_real_tool(self):
        for definition in sorted(FOLDER.glob("tasks/*.yml")):
            text = yaml.safe_load(definition.read_text())
            (wanted,) = text["properties"]
            folder = definition.parent
            described = BaseTool2.Task.with_files(
                [str(folder / text["input_files"])],
                property_file=str(folder / wanted["property_file"]),
                options=text["options"],
            )
            command = TOOL.cmdline(os.environ["CAIRN"], ["--stats"], described, LIMITS(cputime=60))
            ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            found = result_of(*ran.stdout.splitlines(), code=ran.returncode)
            expected = "true" if wanted["expected_verdict"] else f"false({wanted['subproperty']})"
            self.assertEqual(found, expected, definition)
            # The task definition alone says the same.
            alone = subprocess.run([os.environ["CAIRN"], "svcomp", str(definition)], stdout=subprocess.PIPE, text=True, check=False)
            self.assertEqual(alone.stdout.splitlines()[-1], ran.stdout.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
