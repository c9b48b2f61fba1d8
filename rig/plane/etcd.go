package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

// runEtcd serves one member on loopback without fsync: the data lives for one recording only.
func runEtcd(args []string) int {
	dieWithParent()
	flags := flag.NewFlagSet("etcd", flag.ExitOnError)
	dir := flags.String("data-dir", "", "folder for the data, made anew")
	client := flags.String("client", "", "URL to serve clients on")
	peer := flags.String("peer", "", "URL to serve peers on")
	if err := flags.Parse(args); err != nil || *dir == "" {
		return 2
	}
	config := embed.NewConfig()
	config.Dir = *dir
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	clientURL, peerURL := mustURL(*client), mustURL(*peer)
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{clientURL}, []url.URL{clientURL}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peerURL}, []url.URL{peerURL}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	server, err := embed.StartEtcd(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	select {
	case <-stop:
	case err := <-server.Err():
		fmt.Fprintln(os.Stderr, err)
	}
	server.Close()
	return 0
}

func mustURL(text string) url.URL {
	parsed, err := url.Parse(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return *parsed
}
