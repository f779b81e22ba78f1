/** Changes text in the agent's own memory; prints how often. */
export const overwrite = (agent: number, from: string, to: string) => String.raw`perl -e '
  open my $maps, "<", "/proc/${agent}/maps" or print(0), exit; my $changed = 0;
  open my $memory, "+<", "/proc/${agent}/mem" or print(0), exit;
  while (<$maps>) {
    next unless /^(\w+)-(\w+) rw.*\[heap\]/;
    my ($start, $size) = (hex $1, hex($2) - hex($1));
    sysseek $memory, $start, 0; sysread $memory, my $bytes, $size;
    for (my $at = index $bytes, $ARGV[0]; $at >= 0; $at = index $bytes, $ARGV[0], $at + 1) {
      sysseek $memory, $start + $at, 0; syswrite $memory, $ARGV[1]; $changed++;
    }
  }
  print $changed' '${from}' '${to}'`

/**
 * Opens whatever any other process holds open, but pipes of commands, to read, to write and for both, and writes answers of the
 * agent's there; prints what it could open.
 */
export const openEverything = String.raw`perl -MFcntl -e '
  for (glob "/proc/[0-9]*/fd/*") {
    next if m{/proc/$$/} or readlink($_) =~ m{^/(dev|proc)/|/\d+\.\w+$};
    chmod 0666, $_;
    for my $mode (O_RDONLY, O_WRONLY, O_RDWR) {
      if (sysopen my $file, $_, $mode | O_NONBLOCK) {
        print "$_ ", readlink, " $mode\n"; syswrite $file, "999999 on\n1 0\nready\n"
      }
    }
  }'`
