package main

import (
	"context"
	"reflect"
	"sort"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/apps"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/policy"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/scheduling"
	"k8s.io/client-go/informers/storage"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// staticFactory hands out informers that already hold everything and tell it to a handler the moment it is added. Whatever
// the scheduler builds on top of them is complete as soon as it is built.
type staticFactory struct {
	informers.SharedInformerFactory
	client kubernetes.Interface
	// Pods that name their node but are still to be decided: told to nobody, or they would count as placed.
	quiet     map[runtime.Object]bool
	objects   map[reflect.Type][]runtime.Object
	unsorted  bool
	mu        sync.Mutex
	informers map[reflect.Type]*staticInformer
}

func newStaticFactory(client kubernetes.Interface, objects []runtime.Object, undecided []string, unsorted bool) *staticFactory {
	factory := &staticFactory{
		SharedInformerFactory: informers.NewSharedInformerFactory(client, 0),
		client:                client,
		objects:               map[reflect.Type][]runtime.Object{},
		informers:             map[reflect.Type]*staticInformer{},
		quiet:                 map[runtime.Object]bool{},
		unsorted:              unsorted,
	}
	for _, object := range objects {
		if pod, ok := object.(*corev1.Pod); ok && isFinished(pod) {
			// The scheduler does not watch pods that have ended.
			continue
		}
		if pod, ok := object.(*corev1.Pod); ok && pod.Spec.NodeName != "" && contains(undecided, keyOf(pod)) {
			factory.quiet[object] = true
		}
		kind := reflect.TypeOf(object)
		factory.objects[kind] = append(factory.objects[kind], object)
	}
	return factory
}

func isFinished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func (f *staticFactory) InformerFor(object runtime.Object, newFunc internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	kind := reflect.TypeOf(object)
	informer, ok := f.informers[kind]
	if !ok {
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
			cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		})
		if !f.unsorted {
			indexer = sortedIndexer{indexer}
		}
		informer = &staticInformer{
			SharedIndexInformer: newFunc(f.client, 0),
			indexer:             indexer,
			objects:             f.objects[kind],
			quiet:               f.quiet,
		}
		for _, object := range informer.objects {
			if err := informer.indexer.Add(object); err != nil {
				panic(err)
			}
		}
		f.informers[kind] = informer
	}
	return informer
}

func (f *staticFactory) Apps() apps.Interface             { return apps.New(f, "", nil) }
func (f *staticFactory) Core() core.Interface             { return core.New(f, "", nil) }
func (f *staticFactory) Policy() policy.Interface         { return policy.New(f, "", nil) }
func (f *staticFactory) Resource() resource.Interface     { return resource.New(f, "", nil) }
func (f *staticFactory) Scheduling() scheduling.Interface { return scheduling.New(f, "", nil) }
func (f *staticFactory) Storage() storage.Interface       { return storage.New(f, "", nil) }

type staticInformer struct {
	// The real informer, never started: it only answers methods that nothing here depends on.
	cache.SharedIndexInformer
	indexer cache.Indexer
	objects []runtime.Object
	quiet   map[runtime.Object]bool
}

func (i *staticInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	for _, object := range i.objects {
		if !i.quiet[object] {
			handler.OnAdd(object, true)
		}
	}
	return i, nil
}

func (i *staticInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

func (i *staticInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

func (i *staticInformer) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }
func (i *staticInformer) GetStore() cache.Store                                           { return i.indexer }
func (i *staticInformer) GetIndexer() cache.Indexer                                       { return i.indexer }
func (i *staticInformer) HasSynced() bool                                                 { return true }
func (i *staticInformer) Run(<-chan struct{})                                             {}
func (i *staticInformer) RunWithContext(context.Context)                                  {}

func (i *staticInformer) AddIndexers(indexers cache.Indexers) error {
	return i.indexer.AddIndexers(indexers)
}

// sortedIndexer lists in the order of keys, where a plain one lists in the order of a map: different each time.
type sortedIndexer struct{ cache.Indexer }

func (s sortedIndexer) List() []any { return sorted(s.Indexer.List()) }

func (s sortedIndexer) Index(name string, object any) ([]any, error) {
	found, err := s.Indexer.Index(name, object)
	return sorted(found), err
}

func (s sortedIndexer) ByIndex(name, value string) ([]any, error) {
	found, err := s.Indexer.ByIndex(name, value)
	return sorted(found), err
}

func sorted(objects []any) []any {
	sort.SliceStable(objects, func(i, j int) bool {
		return keyOf(objects[i].(runtime.Object)) < keyOf(objects[j].(runtime.Object))
	})
	return objects
}
