# Sourced by the ROS 2 tests: from here on the script runs in a network namespace with only `lo`. Without
# permission it prints this and uses the machine's loopback and an unusual domain.
if [ "${SINEW_OWN_NETWORK:-}" = "" ]; then
  export SINEW_OWN_NETWORK=1
  if unshare --net true 2>/dev/null; then
    exec unshare --net -- "$0" "$@"
  elif unshare --user --map-root-user --net true 2>/dev/null; then
    exec unshare --user --map-root-user --net -- "$0" "$@"
  fi
  echo "interop: network namespaces are not permitted: using domain 97 on the loopback"
  export ROS_DOMAIN_ID=97
else
  ip link set lo up multicast on
fi
lo='<NetworkInterface name="lo" multicast="true"/>'
export CYCLONEDDS_URI="<CycloneDDS><Domain><General><Interfaces>$lo</Interfaces></General></Domain></CycloneDDS>"
