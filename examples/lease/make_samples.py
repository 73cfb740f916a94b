#!/usr/bin/env python3
"""Writes the invented logs of this folder: make_samples.py [--check] [FOLDER]

Nothing in them was measured. They tell of 120 days of a worker that holds a lock by leader election
with 15 s of lease, 10 s of deadline and 2 s between renewals: it hardly stops, its service is away
for a few seconds now and then, and four times for longer than the deadline allows.

All draws are of integers from a generator of our own, so the text is the same with every version of
Python. (The bytes of gc.log.gz may differ with the version of zlib; what it unpacks to does not.)
--check writes nothing and tells whether the files are what this script makes.
"""

import datetime
import gzip
import io
import math
import pathlib
import sys

MS = 1_000_000  # all lengths are nanoseconds
S = 1_000 * MS
MINUTE = 60 * S
DAY = 86_400 * S

BEGIN = datetime.datetime(2026, 3, 2)  # a Monday; all times are UTC
DAYS = 120
ELECTION_DAYS = 90  # the controller's log is younger: it holds the last 90 of the 120 days
LEASE, DEADLINE, RETRY = 15 * S, 10 * S, 2 * S


class Luck:
    """splitmix64."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def between(self, low, high):
        """Evenly from low to high - 1."""
        return low + self.next() % (high - low)

    def one_in(self, n):
        return self.next() % n == 0

    def along(self, quantiles):
        """A value from [(share in millionths, value), ...], straight lines between the points."""
        share = self.between(0, 1_000_000)
        for (a, low), (b, high) in zip(quantiles, quantiles[1:]):
            if share < b:
                return low + (high - low) * (share - a) // (b - a)
        raise AssertionError("quantiles end at 1,000,000")


def when(at):
    """The date of an instant, to the microsecond; `at` counts from BEGIN."""
    return BEGIN + datetime.timedelta(microseconds=at // 1_000)


def since_1970(at):
    return (BEGIN - datetime.datetime(1970, 1, 1)) // datetime.timedelta(seconds=1) * S + at


# --- gc.log.gz -----------------------------------------------------------------------------------

YOUNG = [(0, 4 * MS), (100_000, 8 * MS), (500_000, 16 * MS), (900_000, 35 * MS),
         (990_000, 60 * MS), (1_000_000, 140 * MS)]  # what a young collection takes
MIXED = [(0, 300 * MS), (500_000, 620 * MS), (900_000, 1_500 * MS), (1_000_000, 3_000 * MS)]
# Three times a full collection of all of the heap: day, hour, minute, length.
LONG_STOPS = [(23, 14, 41, 4_310 * MS), (65, 15, 7, 6_640 * MS), (101, 13, 52, 5_180 * MS)]


def stops():
    """All stops: when each begins, the operation of the JVM, its length."""
    luck = Luck(1)
    made = [(day * DAY + (hour * 60 + minute) * MINUTE + luck.between(0, MINUTE), "G1CollectFull",
             length) for day, hour, minute, length in LONG_STOPS]
    at = 9 * S
    while at < DAYS * DAY:
        made.append((at, "G1CollectForAllocation", luck.along(YOUNG)))
        busy = 8 * 60 * MINUTE <= at % DAY < 18 * 60 * MINUTE and at // DAY % 7 < 5
        at += (luck.between(15 * MINUTE, 18 * MINUTE) if busy
               else luck.between(19 * MINUTE, 24 * MINUTE))
    for day in range(DAYS):  # busy afternoons: the heap fills, and is cleared in a burst
        if day % 7 >= 5 or not luck.one_in(5):
            continue
        at = day * DAY + luck.between(13 * 60, 16 * 60) * MINUTE + luck.between(0, MINUTE)
        for _ in range(luck.between(3, 9)):
            made.append((at, "G1CollectForAllocation", luck.along(MIXED)))
            at += luck.between(40 * S, 6 * MINUTE)
    return sorted(made)


def gc_log():
    luck = Luck(2)
    lines = ["[2026-03-02T00:00:00.011+0000][0.011s][info][gc       ] Using G1"]
    last_end = 1_200 * MS
    for begin, operation, length in stops():
        begin = max(begin // MS * MS, last_end + 200 * MS)
        # In tens of microseconds: digits that say nothing would make the file larger.
        reaching = luck.between(6, 24) * 10_000
        inside = length // 10_000 * 10_000
        end = begin + reaching + inside
        stamp = when(end).isoformat(timespec="milliseconds")
        lines.append(
            f"[{stamp}+0000][{end // S}.{end // MS % 1_000:03}s][info][safepoint] "
            f'Safepoint "{operation}", Time since last: {begin - last_end} ns, '
            f"Reaching safepoint: {reaching} ns, At safepoint: {inside} ns, "
            f"Total: {reaching + inside} ns")
        last_end = end
    return "\n".join(lines) + "\n"


# --- outages.csv and controller.log --------------------------------------------------------------

# When clients could not reach the API server: day, time of day, seconds, why.
# Those that are longer than the deadline cost the lease: one before the controller's log begins.
OUTAGES = [
    (3, "09:12:40", "2.4", "API server restarted: certificates renewed"),
    (9, "02:05:11", "4.1", "rolling upgrade of the control plane"),
    (17, "13:38:02", "13.1", "leader of etcd lost its disk"),
    (23, "02:04:57", "3.3", "rolling upgrade of the control plane"),
    (31, "20:47:26", "6.2", "load balancer replaced"),
    (38, "02:06:20", "2.8", "rolling upgrade of the control plane"),
    (44, "11:19:56", "27.3", "control plane failed over to another zone"),
    (52, "02:05:43", "5.0", "rolling upgrade of the control plane"),
    (58, "16:55:09", "2.1", "API server restarted: out of memory"),
    (66, "02:04:38", "16.4", "upgrade of the control plane: all API servers at once"),
    (80, "02:05:29", "3.7", "rolling upgrade of the control plane"),
    (87, "07:31:54", "4.6", "firewall rules were loaded anew"),
    (94, "02:06:02", "3.0", "rolling upgrade of the control plane"),
    (103, "15:22:56", "23.7", "control plane failed over back to its zone"),
    (108, "02:05:05", "2.6", "rolling upgrade of the control plane"),
]


def outages():
    """When each begins, and its length."""
    for day, clock, seconds, _ in OUTAGES:
        hour, minute, second = (int(part) for part in clock.split(":"))
        tenths = int(seconds.replace(".", ""))
        yield day * DAY + ((hour * 60 + minute) * 60 + second) * S, tenths * 100 * MS


def outages_csv():
    # A row without seconds is no outage, but its time counts as looked at.
    rows = ["time,seconds,why", f"{when(0).isoformat()}Z,,watching began"]
    for (at, _), (_, _, seconds, why) in zip(outages(), OUTAGES):
        rows.append(f"{when(at).isoformat()}Z,{seconds},{why}")
    rows.append(f"{when(DAYS * DAY).isoformat()}Z,,watching ended")
    return "\n".join(rows) + "\n"


def controller_log():
    luck = Luck(3)
    lines = []

    def say(at, level, source, text):
        lines.append((at, f"{level}{when(at):%m%d %H:%M:%S.%f}       1 {source}] {text}"))

    def acquire(asks, got):
        say(asks, "I", "leaderelection.go:250",
            "attempting to acquire leader lease ops/ledger-worker...")
        say(got + luck.between(40 * MS, 90 * MS), "I", "leaderelection.go:260", "successfully acquired lease ops/ledger-worker")

    begin = (DAYS - ELECTION_DAYS) * DAY + luck.between(0, S)
    acquire(begin, begin)
    for slot in range(1, ELECTION_DAYS * 4):  # a line every six hours: the controller is alive
        at = begin + slot * DAY // 4 + luck.between(0, S)
        say(at, "I", "reconciler.go:118",
            f"resync done: {luck.between(128, 141)} objects, {luck.between(0, 4)} changed")
    for at, length in outages():
        if at < begin:
            continue
        # Renewals come every two seconds; each that fails is tried again until the deadline.
        lost_at = at - luck.between(0, RETRY) + RETRY + DEADLINE
        failed = at + luck.between(RETRY, 2 * RETRY)
        while failed < min(at + length, lost_at):
            say(failed, "E", "leaderelection.go:332",
                "error retrieving resource lock ops/ledger-worker: Get \"https://192.0.2.10:6443/"
                "apis/coordination.k8s.io/v1/namespaces/ops/leases/ledger-worker\": "
                "context deadline exceeded")
            failed += RETRY + luck.between(0, 300 * MS)
        if length <= lost_at - at:
            continue
        say(lost_at, "I", "leaderelection.go:285",
            "failed to renew lease ops/ledger-worker: timed out waiting for the condition")
        say(lost_at + luck.between(1 * MS, 3 * MS), "E", "main.go:96", "leaderelection lost")
        # The process ends and is started again under a new name: it waits until the lease that it
        # finds has stood still for its length.
        restarted = lost_at + luck.between(1_200 * MS, 1_900 * MS)
        acquire(restarted, max(at + length, restarted) + LEASE + luck.between(0, RETRY))
    say(DAYS * DAY + 2 * S, "I", "reconciler.go:118",
        "resync done: 136 objects, 0 changed")
    return "\n".join(line for _, line in sorted(lines)) + "\n"


# --- ping.txt and etcd-metrics.txt ---------------------------------------------------------------

ROUND_TRIP = [(0, 410), (100_000, 520), (500_000, 780), (900_000, 1_600), (980_000, 2_900),
              (996_000, 6_000), (1_000_000, 14_000)]  # microseconds


def ping_txt():
    luck = Luck(4)
    lines = ["PING api.example (192.0.2.10) 56(84) bytes of data."]
    at = 111 * DAY + 10 * 60 * MINUTE
    first = at
    micros = []
    for sequence in range(1, 601):
        micros.append(luck.along(ROUND_TRIP))
        stamp = since_1970(at + micros[-1] * 1_000)
        # ping prints three digits that count.
        took = f"{micros[-1] / 1_000:.3f}" if micros[-1] < 1_000 else (
            f"{micros[-1] / 1_000:.2f}" if micros[-1] < 10_000 else f"{micros[-1] / 1_000:.1f}")
        lines.append(f"[{stamp // S}.{stamp % S // 1_000:06}] 64 bytes from 192.0.2.10: "
                     f"icmp_seq={sequence} ttl=62 time={took} ms")
        last = at
        at += S + luck.between(200, 1_900) * 1_000
    mean = sum(micros) // len(micros)
    spread = math.isqrt(sum((m - mean) ** 2 for m in micros) // len(micros))
    low, high = min(micros), max(micros)
    text = "/".join(f"{v // 1_000}.{v % 1_000:03}" for v in (low, mean, high, spread))
    lines += ["", "--- api.example ping statistics ---",
              f"600 packets transmitted, 600 received, 0% packet loss, time {(last - first) // MS}ms",
              f"rtt min/avg/max/mdev = {text} ms"]
    return "\n".join(lines) + "\n"


# How many syncs took at most so long; bounds are etcd's.
WAL = [("0.001", 2_904_118), ("0.002", 5_871_902), ("0.004", 6_702_377), ("0.008", 6_848_251),
       ("0.016", 6_881_040), ("0.032", 6_888_734), ("0.064", 6_890_461), ("0.128", 6_890_902),
       ("0.256", 6_891_003), ("0.512", 6_891_021), ("1.024", 6_891_025), ("2.048", 6_891_026),
       ("4.096", 6_891_026), ("8.192", 6_891_026), ("+Inf", 6_891_026)]
COMMIT = [("0.001", 0), ("0.002", 811_640), ("0.004", 1_902_266), ("0.008", 2_140_914),
          ("0.016", 2_177_530), ("0.032", 2_183_611), ("0.064", 2_184_702), ("0.128", 2_184_931),
          ("0.256", 2_184_970), ("0.512", 2_184_978), ("1.024", 2_184_980), ("2.048", 2_184_980),
          ("4.096", 2_184_980), ("8.192", 2_184_980), ("+Inf", 2_184_980)]


def etcd_metrics_txt():
    lines = []

    def histogram(name, counts, total):
        lines.append(f"# TYPE {name} histogram")
        lines.extend(f'{name}_bucket{{le="{bound}"}} {count}' for bound, count in counts)
        lines.extend([f"{name}_sum {total}", f"{name}_count {counts[-1][1]}"])

    histogram("etcd_disk_backend_commit_duration_seconds", COMMIT, "5821.447196")
    histogram("etcd_disk_wal_fsync_duration_seconds", WAL, "9466.902573")
    for name, kind, value in (("etcd_server_has_leader", "gauge", "1"),
                              ("etcd_server_leader_changes_seen_total", "counter", "7"),
                              ("process_start_time_seconds", "gauge", "1.77491791236e+09")):
        lines += [f"# TYPE {name} {kind}", f"{name} {value}"]
    return "\n".join(lines) + "\n"


def packed(text):
    """As gzip -9n does it: without a name and a time."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as file:
        file.write(text.encode())
    return out.getvalue()


def unpacked(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    places = [a for a in arguments if a != "--check"]
    folder = pathlib.Path(places[0]) if places else pathlib.Path(__file__).resolve().parent
    texts = {"gc.log.gz": gc_log(), "outages.csv": outages_csv(), "ping.txt": ping_txt(),
             "etcd-metrics.txt": etcd_metrics_txt(), "controller.log": controller_log()}
    differ = 0
    for name, text in texts.items():
        path = folder / name
        if not check:
            path.write_bytes(packed(text) if path.suffix == ".gz" else text.encode())
        elif not path.exists() or unpacked(path) != text:
            print(f"{path} is not what {pathlib.Path(__file__).name} makes", file=sys.stderr)
            differ = 1
    return differ


if __name__ == "__main__":
    sys.exit(main())
