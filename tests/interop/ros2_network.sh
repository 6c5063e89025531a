# Sourced by the tests of the ROS 2 node: from here on the script runs in a network namespace with
# only `lo`. Where that is not permitted it says so, and uses the machine's own loopback and a domain
# that few use.
if [ "${SINEW_OWN_NETWORK:-}" = "" ]; then
  export SINEW_OWN_NETWORK=1
  if unshare --net true 2>/dev/null; then
    exec unshare --net -- "$0" "$@"
  elif unshare --user --map-root-user --net true 2>/dev/null; then
    exec unshare --user --map-root-user --net -- "$0" "$@"
  fi
  echo "interop: no network namespace is permitted here: using domain 97 on the loopback"
  export ROS_DOMAIN_ID=97
else
  ip link set lo up multicast on
fi
lo='<NetworkInterface name="lo" multicast="true"/>'
export CYCLONEDDS_URI="<CycloneDDS><Domain><General><Interfaces>$lo</Interfaces></General></Domain></CycloneDDS>"
