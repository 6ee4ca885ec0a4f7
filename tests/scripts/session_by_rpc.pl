#!/usr/bin/env perl
# One evidence session by JSON-RPC, in another language's standard library. URL names a page.
use strict;
use warnings;
use Digest::SHA 'sha256_hex';
use IO::Socket::UNIX;
use JSON::PP;

chdir "$ENV{UNDERSTUDY_HOME}/run" or die "no daemon runs: $!";    # a socket's path may be long
my $daemon = IO::Socket::UNIX->new(Peer => 'rpc.sock') or die "rpc.sock: $!";
my ($id, $proof, $sequence) = (0);

sub call {
    my ($method, %params) = @_;
    $params{proof_id} = $proof if defined $proof;
    $params{sequence} = $sequence if defined $sequence;
    my %call = (jsonrpc => '2.0', id => ++$id, method => "session.$method", params => \%params);
    print {$daemon} encode_json(\%call), "\n";
    my $reply = decode_json(scalar readline $daemon);
    die "$method: $reply->{error}{data}{code}: $reply->{error}{message}\n" if $reply->{error};
    ($proof, $sequence) = @{ $reply->{result} }{qw(proofId sequence)};
    return $reply->{result};
}

my $job = sha256_hex('do it');
call('begin', attempt_id => 'by-rpc', job_sha256 => $job, url => $ENV{URL});
call('actions', actions_json => encode_json([{ type => 'click', x => 5, y => 5 }]));
call('freeze');
my $seen = call('observe', pre_observation_sha256 => $job)->{frame}{sha256};
my $receipt = call('finish', observation_sha256 => $seen, claims_json => '{}')->{receipt};
print "$receipt->{receiptId}\n";
print call('close')->{closed} ? "true\n" : "false\n";
