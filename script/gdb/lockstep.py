"""For gdb: strong types as words, and the stacks of suspended fibers.

    gdb -x script/gdb/lockstep.py --args build/debug/lockstep run calm --until 12.5s

`lockstep-fibers [WORLD]` tells of every fiber where it waits. WORLD is an expression of the type
lockstep::sim::World; without one the frames above are searched for it. Needs a build with -g (the
presets have -g1, which knows neither types nor variables), and for the stacks x86-64.
"""

import re

import gdb
import gdb.printing

UNITS = (("s", 10**9), ("ms", 10**6), ("us", 10**3))


def span(ns):
    """12500000000 -> 12.5 s"""
    if ns == 2**63 - 1:
        return "never"
    for unit, size in UNITS:
        if abs(ns) >= size:
            return f"{ns / size:.9f}".rstrip("0").rstrip(".") + " " + unit
    return f"{ns} ns"


def tag_of(value):
    """The first argument of the template: lockstep::TermTag -> Term"""
    name = str(value.type.strip_typedefs().template_argument(0)).split("::")[-1]
    return name[:-3] if name.endswith("Tag") else name


class StrongPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        number = int(self.value["value"])
        return f"{tag_of(self.value)} {number if number else 'none'}"


class InstantPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"{tag_of(self.value)} {span(int(self.value['ns']))}"


class DurationPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return span(int(self.value["ns"]))


class PpmPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"{int(self.value['value'])} ppm"


def printers():
    all_of_them = gdb.printing.RegexpCollectionPrettyPrinter("lockstep")
    all_of_them.add_printer("strong", r"^lockstep::Strong<.*>$", StrongPrinter)
    all_of_them.add_printer("instant", r"^lockstep::Instant<.*>$", InstantPrinter)
    all_of_them.add_printer("duration", r"^lockstep::Duration$", DurationPrinter)
    all_of_them.add_printer("ppm", r"^lockstep::Ppm$", PpmPrinter)
    return all_of_them


def owned(pointer):
    """What a std::unique_ptr has."""
    return gdb.default_visualizer(pointer).children().__next__()[1]


def elements(vector):
    """Of a std::vector."""
    start, finish = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    for i in range(int(finish - start)):
        yield (start + i).dereference()


def find_world():
    frame = gdb.newest_frame()
    while frame is not None:
        if frame.function() is not None:
            for name in ("this", "world", "world_"):
                try:
                    value = frame.read_var(name)
                except ValueError:
                    continue
                kind = value.type.strip_typedefs()
                if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF):
                    value = value.referenced_value()
                    kind = value.type.strip_typedefs()
                words = str(kind).replace("const ", "")
                if words == "lockstep::sim::World":
                    return value
                if words == "lockstep::harness::Simulation":
                    return value["world_"]
        frame = frame.older()
    raise gdb.GdbError("no frame has a lockstep::sim::World; give one: lockstep-fibers EXPRESSION")


# Where Boost.Context's jump_fcontext keeps what it saves, from the saved stack pointer on
# (jump_x86_64_sysv_elf_gas.S; the word at 0 is the state of the floating-point units).
SAVED = {"r12": 0x08, "r13": 0x10, "r14": 0x18, "r15": 0x20, "rbx": 0x28, "rbp": 0x30, "rip": 0x38}
SAVED_SIZE = 0x40


# What every fiber has on its stack.
MACHINERY = re.compile(r"^#\d+ +(0x\w+ in )?(std::|boost::|make_fcontext|\?\?)")


class Fibers(gdb.Command):
    """lockstep-fibers [WORLD]: where each suspended fiber of each process waits."""

    def __init__(self):
        super().__init__("lockstep-fibers", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        world = gdb.parse_and_eval(argument) if argument else find_world()
        for process in elements(world["processes_"]):
            process = owned(process).dereference()
            for strand in elements(process["strands_"]):
                strand = owned(strand)
                if int(strand) == 0:
                    continue
                self.show(process, strand.dereference())

    def show(self, process, strand):
        print(
            f"{process['name_'].format_string().strip(chr(34))}, fiber {int(strand['number'])} "
            f"({strand['name'].string()})"
        )
        context = owned(strand["fiber"]["context_"]).dereference()
        saved = int(context["fiber"]["fctx_"])
        if saved == 0:
            print("  runs, or has ended\n")
            return
        if gdb.selected_inferior().architecture().name() != "i386:x86-64":
            print("  stacks are shown on x86-64 alone\n")
            return
        print(self.stack(saved))

    @staticmethod
    def stack(saved):
        """The backtrace with the registers as they were saved; they are put back afterwards."""
        selected = gdb.selected_frame()
        gdb.newest_frame().select()
        names = list(SAVED) + ["rsp"]
        before = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in names}
        memory = gdb.selected_inferior()

        def word(offset):
            return int.from_bytes(memory.read_memory(saved + offset, 8).tobytes(), "little")

        after = {name: word(offset) for name, offset in SAVED.items()}
        after["rsp"] = saved + SAVED_SIZE
        try:
            for name, value in after.items():
                gdb.execute(f"set ${name} = {value}", to_string=True)
            frames = gdb.execute("backtrace 24", to_string=True).splitlines()
            return "\n".join(f for f in frames if not MACHINERY.search(f)) + "\n"
        finally:
            for name, value in before.items():
                gdb.execute(f"set ${name} = {value}", to_string=True)
            gdb.newest_frame().select()
            if selected.is_valid():
                selected.select()


gdb.printing.register_pretty_printer(None, printers(), replace=True)
Fibers()
