"""BenchExec's tool-info module for cairn, a memory-safety verifier for C.

From the root of the repository: `PYTHONPATH=. benchexec --tool-directory target/release contrib/benchexec/cairn.xml`.
"""

import re

import benchexec.result as result
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException

# The last line of standard output, see docs/svcomp.md.
ANSWER = re.compile(r"^(TRUE|FALSE\((?P<property>[a-z-]+)\)|UNKNOWN\((?P<reason>.*)\))$")

# The exit code of bad arguments, invalid C and bugs in cairn.
FAILURE = 3


class Tool(BaseTool2):
    def name(self):
        return "cairn"

    def executable(self, tool_locator):
        return tool_locator.find_executable("cairn")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="cairn")

    def cmdline(self, executable, options, task, rlimits):
        if task.property_file is None:
            raise UnsupportedFeatureException("cairn needs a property file")
        command = [executable, "svcomp", "--property", task.property_file]
        given = task.options or {}
        if given.get("language", "C") != "C":
            raise UnsupportedFeatureException(f"cairn verifies C, not {given['language']}")
        if not any(option.split("=")[0] == "--data-model" for option in options):
            command += ["--data-model", given.get("data_model", "ILP32")]
        if rlimits.cputime and not any(option.split("=")[0] == "--time-limit" for option in options):
            # cairn measures wall time. It ends by itself a little before BenchExec would end it.
            command += ["--time-limit", str(max(1, int(rlimits.cputime * 0.97)))]
        if rlimits.memory and not any(option.split("=")[0] == "--memory-limit" for option in options):
            command += ["--memory-limit", str(int(rlimits.memory * 0.95))]
        return [*command, *options, task.single_input_file]

    def determine_result(self, run):
        answer = None
        for line in run.output:
            answer = ANSWER.match(line.strip()) or answer
        if answer is None:
            return result.RESULT_ERROR if run.exit_code.value == FAILURE else result.RESULT_UNKNOWN
        if answer[1] == "TRUE":
            return result.RESULT_TRUE_PROP
        if answer["property"]:
            return f"{result.RESULT_FALSE_PROP}({answer['property']})"
        return f"{result.RESULT_UNKNOWN}({answer['reason']})"

    def get_value_from_output(self, output, identifier):
        # The statistics of `--stats`, such as "states: 1,024".
        for line in output:
            name, separator, value = line.partition(":")
            if separator and name.strip() == identifier:
                return value.strip().replace(",", "")
        return None
