#!/usr/bin/env bash
# Run a command beside a Slurm of one node. It lives in namespaces of its own: /etc/slurm outside is not touched, and
# when the command ends so do all daemons. It claims eight processors, since jobs mostly wait for Slurm. Needs root and Debian's slurm-wlm and munge.
#   tests/stress/one_node_slurm.sh COMMAND ...
set -euo pipefail
if [ -z "${INSIDE_ONE_NODE_SLURM:-}" ]; then
    INSIDE_ONE_NODE_SLURM=1 exec unshare --mount --pid --fork --kill-child --mount-proc "$BASH" "$0" "$@"
fi

state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$state/controller" "$state/node" /etc/slurm
mount -t tmpfs tmpfs /etc/slurm
(umask 077 && head -c 1024 /dev/urandom >"$state/key")
chmod 755 "$state"
cat >/etc/slurm/slurm.conf <<END
ClusterName=one
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$state/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MinJobAge=300
ReturnToService=2
StateSaveLocation=$state/controller
SlurmdSpoolDir=$state/node
SlurmctldPidFile=$state/controller.pid
SlurmdPidFile=$state/node.pid
SlurmctldLogFile=$state/controller.log
SlurmdLogFile=$state/node.log
SlurmdParameters=config_overrides
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=8 RealMemory=$(awk '/MemAvailable/ {print int($2 / 1024)}' /proc/meminfo) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END

munged --force --key-file "$state/key" --socket "$state/munge.socket" --pid-file "$state/munge.pid" \
    --log-file "$state/munge.log" --seed-file "$state/munge.seed"
slurmctld
slurmd
for _ in $(seq 60); do
    sinfo --noheader --format %t 2>/dev/null | grep -q idle && break
    sleep 0.5
done
if ! sinfo --noheader --format %t | grep -q idle; then
    tail -n 20 "$state"/*.log >&2
    echo "The one-node Slurm did not start." >&2
    exit 1
fi
"$@"
